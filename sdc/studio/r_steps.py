"""Steps that R has an equal for, each written for the public interface of base R, sdcMicro or synthpop."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc.catalogue.registry import find_method
from sdc.statistics.coarsening.bands import number_text

if TYPE_CHECKING:
    from sdc.profile.plan import Profile

SDCMICRO, SYNTHPOP = "sdcMicro", "synthpop"
MODELS = {
    "sample": "sample",
    "norm": "norm",
    "lognorm": "lognorm",
    "sqrtnorm": "sqrtnorm",
    "cubertnorm": "cubertnorm",
    "normrank": "normrank",
    "pmm": "pmm",
    "logreg": "logreg",
    "polyreg": "polyreg",
    "polr": "polr",
    "cart": "cart",
    "ctree": "ctree",
    "forest": "rf",
    "bagging": "bag",
}
"""Models of one variable, as synthpop calls them."""
GROUPINGS = {"mdav": "mdav", "principal_component": "pca", "univariate": "onedims"}


class NoEqual(Exception):
    """Why a step as it is told has no equal in R."""


@dataclass(frozen=True)
class RStep:
    """Lines of R; `unlike` says in words what differs, `left_out` that something asked for is not done."""

    lines: tuple[str, ...]
    packages: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    left_out: bool = False


def r_text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def r_value(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return number_text(float(value))
    return "NULL" if value is None else r_text(str(value))


def r_vector(values: Sequence[Any]) -> str:
    return f"c({', '.join(map(r_value, values))})"


def at(name: str) -> str:
    return f"dat[[{r_text(name)}]]"


def _others(method: str, options: Mapping[str, Any], known: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Options that R's step does not have, in words; those that say what they would anyway are none."""
    entry = find_method(method)
    defaults = {
        name: info.default for name, info in entry.options.model_fields.items() if not info.is_required()
    }
    told = [
        f"{name} has no equal and is left out"
        for name, value in options.items()
        if name not in known and (name not in defaults or value != defaults[name])
    ]
    return tuple(told), bool(told)


def _by_object(call: str) -> str:
    return f"dat <- protect(dat, function(obj) {call})"


def _numbers(profile: Profile, options: Mapping[str, Any]) -> list[str]:
    given = options.get("variables")
    return list(given) if given else [name for name in profile.roles.numeric if name != profile.roles.weight]


def local_suppression(profile: Profile, options: Mapping[str, Any]) -> RStep:
    keys = list(profile.roles.quasi_identifiers)
    if options.get("keys") and list(options["keys"]) != keys:
        raise NoEqual("it is for other keys than the quasi-identifiers")
    unlike, left_out = _others("local_suppression", options, ("k", "keys", "importance", "missing"))
    told, importance = [f"k = {options.get('k', 3)}"], options.get("importance")
    if isinstance(importance, list) and importance:
        ranks = {name: place for place, name in enumerate(importance, start=1)}
        told.append(f"importance = {r_vector([ranks.get(name, len(keys)) for name in keys])}")
    elif importance:
        unlike, left_out = (*unlike, "costs of suppressions have no equal and are left out"), True
    said = ("k is the same, which values go is not", "a missing key matches every value in sdcMicro")
    return RStep(
        (_by_object(f"localSuppression(obj, {', '.join(told)})"),), (SDCMICRO,), (*said, *unlike), left_out
    )


def microaggregation(profile: Profile, options: Mapping[str, Any]) -> RStep:
    grouping = options.get("grouping", "mdav")
    if grouping not in GROUPINGS:
        raise NoEqual(f"sdcMicro has no grouping {grouping}")
    unlike, left_out = _others("microaggregation", options, ("variables", "k", "grouping", "average"))
    told = [f"variables = {r_vector(_numbers(profile, options))}", f"aggr = {options.get('k', 3)}"]
    told += [f"method = {r_text(GROUPINGS[grouping])}", f"measure = {r_text(options.get('average', 'mean'))}"]
    return RStep((_by_object(f"microaggregation(obj, {', '.join(told)})"),), (SDCMICRO,), unlike, left_out)


def additive_noise(profile: Profile, options: Mapping[str, Any]) -> RStep:
    if options.get("kind", "correlated") != "independent":
        raise NoEqual(f"noise that is {options.get('kind', 'correlated')} is made otherwise there")
    unlike, left_out = _others("additive_noise", options, ("variables", "kind", "level"))
    noise = number_text(100 * float(options.get("level", 0.1)))
    names = r_vector(_numbers(profile, options))
    call = f'addNoise(obj, variables = {names}, noise = {noise}, method = "additive")'
    return RStep((_by_object(call),), (SDCMICRO,), unlike, left_out)


def rank_swap(profile: Profile, options: Mapping[str, Any]) -> RStep:
    unlike, left_out = _others("rank_swap", options, ("variables", "p"))
    names, p = r_vector(_numbers(profile, options)), number_text(100 * float(options.get("p", 0.15)))
    call = f"rankSwap(obj, variables = {names}, TopPercent = 0, BottomPercent = 0, P = {p})"
    return RStep((_by_object(call),), (SDCMICRO,), unlike, left_out)


def pram(profile: Profile, options: Mapping[str, Any]) -> RStep:
    unlike, left_out = _others("pram", options, ("variables", "keep"))
    names = r_vector(list(options.get("variables") or profile.roles.quasi_identifiers))
    call = f"pram(obj, variables = {names}, pd = {number_text(float(options.get('keep', 0.8)))})"
    said = ("there keep is the least chance to stay, here it is the share expected to",)
    return RStep((_by_object(call),), (SDCMICRO,), (*said, *unlike), left_out)


def subsample(_profile: Profile, options: Mapping[str, Any]) -> RStep:
    unlike, left_out = _others("subsample", options, ("share",))
    size = f"round({number_text(float(options['share']))} * nrow(dat))"
    return RStep((f"dat <- dat[sort(sample(nrow(dat), {size})), , drop = FALSE]",), (), unlike, left_out)


def bootstrap(_profile: Profile, options: Mapping[str, Any]) -> RStep:
    unlike, left_out = _others("bootstrap", options, ("rows",))
    rows = options.get("rows") or "nrow(dat)"
    line = f"dat <- dat[sample(nrow(dat), {rows}, replace = TRUE), , drop = FALSE]"
    return RStep((line,), (), unlike, left_out)


def rounding(_profile: Profile, options: Mapping[str, Any]) -> RStep:
    ways = {
        "nearest": "floor({0} / {1} + 0.5) * {1}",
        "down": "floor({0} / {1}) * {1}",
        "up": "ceiling({0} / {1}) * {1}",
    }
    lines = []
    for name, told in options.items():
        how = told.get("how", "nearest")
        if how not in ways:
            raise NoEqual("random rounding has no equal")
        lines.append(f"{at(name)} <- {ways[how].format(at(name), number_text(float(told['to'])))}")
    return RStep(tuple(lines))


def top_bottom_code(_profile: Profile, options: Mapping[str, Any]) -> RStep:
    lines = []
    for name, told in options.items():
        if told.get("replace", "threshold") not in ("threshold", "missing"):
            raise NoEqual(f"tails replaced by their {told['replace']} have no equal")
        for end, sign in (("top", ">"), ("bottom", "<")):
            if told.get(f"{end}_share") is not None:
                raise NoEqual("tails by a share of the records have no equal")
            if told.get(end) is not None:
                limit = number_text(float(told[end]))
                value = "NA" if told.get("replace") == "missing" else limit
                lines.append(f"{at(name)}[which({at(name)} {sign} {limit})] <- {value}")
    return RStep(tuple(lines))


def global_recode(_profile: Profile, options: Mapping[str, Any]) -> RStep:
    lines = tuple(line for name, told in options.items() for line in _recoded(name, told))
    banded = any(told.get("width") is not None or told.get("bands") is not None for told in options.values())
    return RStep(lines, unlike=("bands are written [10,20) and not 10-19",) if banded else ())


def _recoded(name: str, told: Mapping[str, Any]) -> Iterator[str]:
    here = at(name)
    if told.get("width") is not None:
        width, start = number_text(float(told["width"])), number_text(float(told.get("start", 0)))
        low = number_text(float(told["bottom"])) if told.get("bottom") is not None else "-Inf"
        high = number_text(float(told["top"])) if told.get("top") is not None else "Inf"
        first = f"floor((min({here}, na.rm = TRUE) - {start}) / {width})"
        last = f"ceiling((max({here}, na.rm = TRUE) + 1 - {start}) / {width})"
        yield f"edges <- {start} + {width} * ({first}:{last})"
        yield f"edges <- unique(c({low}, edges[edges > {low} & edges < {high}], {high}))"
        yield f"{here} <- cut({here}, breaks = edges, right = FALSE)"
    elif told.get("bands") is not None:
        if not all(isinstance(edge, (int, float)) for edge in told["bands"]):
            raise NoEqual("bands by their labels have no equal; write their borders")
        yield f"{here} <- cut({here}, breaks = c(-Inf, {r_vector(told['bands'])}, Inf), right = FALSE)"
    elif told.get("groups") is not None:
        yield f"{here} <- as.character({here})"
        if told.get("others") is not None:
            named = [old for members in told["groups"].values() for old in members]
            rest = f"!is.na({here}) & !({here} %in% {r_vector(named)})"
            yield f"{here}[{rest}] <- {r_text(str(told['others']))}"
        yield f"old <- {here}"
        for new, members in told["groups"].items():
            yield f"{here}[old %in% {r_vector(members)}] <- {r_text(str(new))}"
        yield f"{here} <- factor({here})"
    elif told.get("digits") is not None:
        yield f"{here} <- factor(substr(as.character({here}), 1, {told['digits']}))"
    elif isinstance(told.get("hierarchy"), Mapping):
        level = told.get("level", 1) - 1
        above = ", ".join(
            f"{r_text(old)} = {r_text(chain[level])}" for old, chain in told["hierarchy"].items()
        )
        yield f"{here} <- factor(unname(c({above})[as.character({here})]))"
    elif told.get("period") in ("month", "year"):
        form = "%Y-%m" if told["period"] == "month" else "%Y"
        yield f'{here} <- factor(format({here}, "{form}"))'
    elif told.get("period") == "quarter":
        yield f'{here} <- factor(paste0(format({here}, "%Y"), "-", quarters({here})))'
    else:
        raise NoEqual(f"the recoding of {name} stands in a file of its own")


def sequential(profile: Profile, options: Mapping[str, Any]) -> RStep:
    known = ("model", "models", "visit", "m", "rows", "proper")
    unlike, left_out = _others("sequential", options, known)
    model, models = options.get("model", "cart"), dict(options.get("models") or {})
    wanted = {name: models.get(name, model) for name in profile.roles.released}
    foreign = sorted({str(each) for each in wanted.values() if str(each) not in MODELS})
    if foreign:
        raise NoEqual(f"synthpop has no model {', '.join(foreign)}")
    told = [
        f"method = {r_vector([MODELS[str(each)] for each in wanted.values()])}"
        if models
        else f"method = {r_text(MODELS[model])}"
    ]
    told += [f"m = {options['m']}"] if options.get("m") else []
    told += [f"k = {options['rows']}"] if options.get("rows") else []
    told += ["proper = TRUE"] if options.get("proper") else []
    if isinstance(options.get("visit"), list):
        told.append(f"visit.sequence = {r_vector(options['visit'])}")
    elif options.get("visit") == "automatic":
        unlike, left_out = (
            (*unlike, "the automatic order has no equal; variables come in the order of the file"),
            True,
        )
    first = "made$syn[[1]]" if options.get("m", 1) > 1 else "made$syn"
    return RStep((f"made <- syn(dat, {', '.join(told)})", f"dat <- {first}"), (SYNTHPOP,), unlike, left_out)


EQUALS: Mapping[str, Callable[[Profile, Mapping[str, Any]], RStep]] = {
    each.__name__: each
    for each in (
        additive_noise,
        bootstrap,
        global_recode,
        local_suppression,
        microaggregation,
        pram,
        rank_swap,
        rounding,
        sequential,
        subsample,
        top_bottom_code,
    )
}
"""Methods with an equal in R; all others are said to have none."""
