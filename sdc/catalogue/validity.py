"""The rules on which measure may be believed after which method."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sdc.catalogue.external import EXTERNAL, Stepped, maker
from sdc.catalogue.protection import Protection, Step, judged_as
from sdc.catalogue.registry import Examines, Measure, Method, Need, Touches, measures, methods
from sdc.data.roles import Roles


@dataclass(frozen=True)
class ValidityRule:
    """Why a number is, or is not, believable, and who showed it."""

    name: str
    statement: str
    citation: str
    instead: tuple[str, ...] = ()


HANDBOOK = "Hundepool et al. (2012), Statistical Disclosure Control, doi:10.1002/9781118348239"

DECLARED = ValidityRule("declared", "the measure is defined for what the method does to records", HANDBOOK)
TRUE_KEYS_PERTURBED = ValidityRule(
    "true_keys_perturbed",
    "counts of equal keys measure risk only while the keys are true",
    HANDBOOK,
    ("class_attribution", "record_linkage", "attribute_disclosure"),
)
TRUE_KEYS_SYNTHESISED = ValidityRule(
    "true_keys_synthesised",
    "counts of equal keys measure risk only while a record is a person",
    "Taub, Elliot, Pampaka, Smith (2018), doi:10.1007/978-3-319-99771-1_9",
    ("class_attribution", "attribute_disclosure", "replicated_uniques", "membership_inference"),
)
VALUES_PERTURBED = ValidityRule(
    "values_perturbed", "the measure is not defined for values that may be false", HANDBOOK
)
VALUES_SYNTHESISED = ValidityRule(
    "values_synthesised",
    "the measure is not defined for values drawn from a model",
    "Drechsler (2011), doi:10.1007/978-1-4614-0326-5",
)
RECORDS_NOT_ALIGNED = ValidityRule(
    "records_not_aligned",
    "the measure compares record i with record i, and the method does not keep records in their place",
    HANDBOOK,
)
BUDGET_NOT_PROVED = ValidityRule(
    "budget_not_proved",
    "a privacy budget is the sum of proved ones: a single step without a proof leaves none",
    "Dwork, Roth (2014), doi:10.1561/0400000042",
)
NEVER_ALONE = ValidityRule(
    "never_alone",
    "distances to the closest record miss leaks that attacks find: information, never the only criterion of"
    " risk",
    "Yao, Krčo, Ganev, de Montjoye (2025), The DCR Delusion, arXiv:2505.01524",
    ("membership_inference", "attribute_disclosure", "class_attribution", "singling_out"),
)
DEPENDENT_SAMPLES = ValidityRule(
    "dependent_samples",
    "the candidate is made from the original: a p-value that takes them for independent samples is no test",
    "Snoke, Raab, Nowok, Dibben, Slavković (2018), doi:10.1111/rssa.12358",
)
RULES = (
    DECLARED,
    TRUE_KEYS_PERTURBED,
    TRUE_KEYS_SYNTHESISED,
    VALUES_PERTURBED,
    VALUES_SYNTHESISED,
    RECORDS_NOT_ALIGNED,
    BUDGET_NOT_PROVED,
    NEVER_ALONE,
    DEPENDENT_SAMPLES,
)

BUDGET_MEASURE = "privacy_budget"
INFORMATION_ONLY = frozenset({"distance_to_closest_record"})
NAMING = ("variables", "sensitive", "target")
P_VALUE = re.compile(r"(^|_)p_?value(s?)(\.|$)|_p(\.|$)")
PAIRED = re.compile(r"^paired_")


@dataclass(frozen=True)
class Believable:
    """May a measure's value be believed after the steps of a candidate, and by which rule?

    `alternatives` are measures that could be taken instead.
    """

    valid: bool
    rule: ValidityRule
    reason: str
    citation: str
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pair:
    """What holds for a measure after a method, whatever the variables. `valid`: without a condition."""

    measure: str
    method: str
    valid: bool
    rule: str
    reason: str
    citation: str
    alternatives: tuple[str, ...] = ()


def touched(method: Method, options: Mapping[str, Any], roles: Roles) -> frozenset[str]:
    """The released variables a method changes: those its options name, else those it says it touches."""
    named = options.get("variables") if "variables" in method.options.model_fields else None
    if method.takes_variables:
        named = [name for name in options if name not in method.options.model_fields]
    if named:
        return frozenset([named] if isinstance(named, str) else named)
    by_default = {
        Touches.KEYS: roles.quasi_identifiers,
        Touches.NUMERIC: roles.numeric,
        Touches.SENSITIVE: roles.sensitive,
        Touches.HOUSEHOLD_LEVEL: tuple(variable.name for variable in roles if variable.household_level),
        Touches.ALL: roles.released,
    }
    return frozenset() if method.takes_variables else frozenset(by_default[method.touches])


def believable(
    measure: Measure,
    options: Mapping[str, Any],
    steps: Sequence[Stepped],
    roles: Roles,
    part: str | None = None,
) -> Believable:
    """Is the value (or the part) of a measure believable on a candidate made by these steps?"""
    spoilt = _spoilt(measure, options, steps, roles, part)
    if spoilt is None:
        return Believable(True, DECLARED, DECLARED.statement, measure.reference or DECLARED.citation)
    rule, reason = spoilt
    others = [] if rule is DEPENDENT_SAMPLES else [*measure.alternatives, *rule.instead]
    return Believable(False, rule, reason, rule.citation, _believable_among(others, measure, steps, roles))


def _spoilt(
    measure: Measure, options: Mapping[str, Any], steps: Sequence[Stepped], roles: Roles, part: str | None
) -> tuple[ValidityRule, str] | None:
    """The first rule that speaks against a measure, and why."""
    entries = [(maker(step), step.options) for step in steps]
    out_of_place = [method.name for method, _ in entries if not method.aligned]
    if part and P_VALUE.search(part) and (out_of_place or not PAIRED.match(part)):
        return DEPENDENT_SAMPLES, f"{part} is a p-value, and candidate and original are dependent samples"
    unproved = [method.name for method, _ in entries if not method.proves_budget]
    if measure.name == BUDGET_MEASURE and (unproved or not entries):
        return (
            BUDGET_NOT_PROVED,
            (
                f"{' and '.join(unproved)} proves no privacy budget"
                if entries
                else "no step proves a privacy budget"
            ),
        )
    if Need.ALIGNED in measure.needs and out_of_place:
        return RECORDS_NOT_ALIGNED, f"{out_of_place[0]} does not keep record i in its place"
    for (method, given), step in zip(entries, steps, strict=True):
        examined = _changed(touched(method, given, roles), step) & _examined(measure, options, roles)
        protection = judged_as(method.protection, aligned=method.aligned)
        if protection not in measure.valid_after and examined:
            rule = _against(measure, protection)
            return (
                rule,
                (
                    f"{method.name} {_deed(method.protection).format(_some(sorted(examined)))}, and"
                    f" {rule.statement}"
                ),
            )
    return None


def _changed(names: frozenset[str], step: Stepped) -> frozenset[str]:
    """Of a file made elsewhere only what was found to differ; nobody says what its makers touched."""
    if not isinstance(step, Step) or step.method != EXTERNAL.name:
        return names
    return frozenset(name for name in names if step.changed.get(name) != 0)


def _examined(measure: Measure, options: Mapping[str, Any], roles: Roles) -> frozenset[str]:
    """The variables whose truth a measure depends on: its keys, or all.

    Where options name some, those and the keys.
    """
    keys = frozenset(options.get("keys") or roles.quasi_identifiers)
    if measure.examines is Examines.KEYS:
        return keys
    named = [options[option] for option in NAMING if options.get(option)]
    if not named:
        return frozenset(roles.released)
    return keys.union(*([name] if isinstance(name, str) else name for name in named))


def _against(measure: Measure, protection: Protection) -> ValidityRule:
    if measure.examines is Examines.KEYS:
        return TRUE_KEYS_SYNTHESISED if protection is Protection.SYNTHETIC else TRUE_KEYS_PERTURBED
    return VALUES_SYNTHESISED if protection is Protection.SYNTHETIC else VALUES_PERTURBED


def _deed(protection: Protection) -> str:
    deeds = {
        Protection.SYNTHETIC: "draws {} from a model",
        Protection.PERTURBATIVE: "perturbs {}",
        Protection.NON_PERTURBATIVE: "coarsens {}",
    }
    return deeds[protection]


def _some(names: Sequence[str]) -> str:
    return (
        ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:3])} and {len(names) - 3} more variables"
    )


def _believable_among(
    names: Sequence[str], instead_of: Measure, steps: Sequence[Stepped], roles: Roles
) -> tuple[str, ...]:
    """Those that the catalogue has, in the same family, and that these steps do not spoil."""
    known = measures()
    others = [known[name] for name in dict.fromkeys(names) if name in known and name != instead_of.name]
    return tuple(
        other.name
        for other in others
        if other.family is instead_of.family and _spoilt(other, {}, steps, roles, None) is None
    )


def opens_no_gate(judged: Collection[str]) -> bool:
    """Are the judged measures of risk only such as inform?"""
    return bool(judged) and INFORMATION_ONLY.issuperset(judged)


def matrix() -> tuple[Pair, ...]:
    """Every measure after every method."""
    return tuple(_pair(measure, method) for measure in measures().values() for method in methods().values())


def _pair(measure: Measure, method: Method) -> Pair:
    known = measures()
    rule, reason, valid = _standing(measure, method)
    others = [
        known[name]
        for name in dict.fromkeys((*measure.alternatives, *rule.instead))
        if name in known and name != measure.name
    ]
    instead = tuple(
        other.name for other in others if other.family is measure.family and _standing(other, method)[2]
    )
    citation = measure.reference if rule is DECLARED and measure.reference else rule.citation
    return Pair(
        measure.name, method.name, valid, rule.name, reason, citation, () if rule is DECLARED else instead
    )


def _standing(measure: Measure, method: Method) -> tuple[ValidityRule, str, bool]:
    """The rule for a measure after a method, and the rule in words.

    The last says whether the measure can be believed whatever the variables.
    """
    if measure.name == BUDGET_MEASURE and not method.proves_budget:
        return BUDGET_NOT_PROVED, f"{method.name} proves no privacy budget", False
    if Need.ALIGNED in measure.needs and not method.aligned:
        return RECORDS_NOT_ALIGNED, f"{method.name} does not keep record i in its place", False
    protection = judged_as(method.protection, aligned=method.aligned)
    if protection not in measure.valid_after:
        rule = _against(measure, protection)
        condition = (
            "; believable while it leaves the keys alone"
            if measure.examines is Examines.KEYS and _may_spare_keys(method)
            else ""
        )
        return rule, f"{rule.statement}{condition}", False
    rule = NEVER_ALONE if measure.name in INFORMATION_ONLY else DECLARED
    return rule, rule.statement, True


def _may_spare_keys(method: Method) -> bool:
    """Can a step of this method be written so that no key changes?"""
    return (
        method.touches in (Touches.NUMERIC, Touches.SENSITIVE, Touches.HOUSEHOLD_LEVEL)
        or method.takes_variables
        or "variables" in method.options.model_fields
    )
