"""The room Variables: what each column is, edited in place, and what the keys tell about people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc.data.roles import LEFT_BEHIND, Role, VariableType
from sdc.errors import SdcError
from sdc.report.drawing import Drawing, Mark, rect
from sdc.studio.live_risk import LiveRisk
from sdc.studio.variable_edits import ROLE_WORDS, TYPES, declare, declared, with_role
from sdc.web.studio.data_page import reading
from sdc.web.studio.frame import is_partial
from sdc.web.studio.rooms import BadForm, action, part, room
from sdc.web.studio.waiting import PATIENCE, when_done

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.studio.found_file import FoundColumn, FoundFile, Sketch
    from sdc.studio.remarks import Remark, Remarks
    from sdc.studio.workbench import Workbench
    from sdc.web.studio.form import Form

WIDTH, HEIGHT = 132, 34
LISTS = ("order", "missing_codes", "allowed")
TEXTS = ("label", "unit", "per", "missing")


@dataclass(frozen=True)
class VariableRow:
    """A variable in the table."""

    number: int
    name: str
    told: Mapping[str, Any]
    column: FoundColumn | None
    drawing: Drawing | None
    remarks: Sequence[Remark]

    @property
    def role(self) -> str:
        return str(self.told.get("role", Role.OTHER.value))

    @property
    def type(self) -> str:
        return str(self.told.get("type", "numeric" if self.role == Role.WEIGHT else "categorical"))

    @property
    def stays(self) -> bool:
        return self.role in LEFT_BEHIND

    def lines(self, key: str) -> str:
        """A list with each value on a line of its own."""
        held = self.told.get(key)
        return "\n".join(map(str, held)) if isinstance(held, list) else ""

    @property
    def missing(self) -> int:
        """Records without a value, or with a code that stands for none."""
        facts = self.column.facts if self.column else None
        return facts.rows - facts.present + facts.coded if facts else 0

    @property
    def levels(self) -> str:
        """Its categories with their records, most of them."""
        sketch = self.column.sketch if self.column else None
        if sketch is None or sketch.of_numbers:
            return ""
        return ", ".join(
            f"{label} ({count:,})" for label, count in zip(sketch.labels, sketch.counts, strict=True)
        )

    @property
    def words(self) -> str:
        held = self.told.get("values")
        return "\n".join(f"{code} = {said}" for code, said in held.items()) if isinstance(held, dict) else ""


@room("variables", "Variables", order=2)
def variables(workbench: Workbench, request: Request) -> Mapping[str, Any]:
    found = workbench.found_already()
    held = workbench.profile_text.at(("variables",))
    remarks = workbench.faults()
    names = list(held) if isinstance(held, dict) else []
    sought = request.query_params.get("role", "")
    rows = [_row(workbench, number, name, found, remarks) for number, name in enumerate(names)]
    return {
        "rows": [row for row in rows if not sought or row.role == sought],
        "sought": sought,
        "roles": [(role.value, words) for role, words in ROLE_WORDS.items()],
        "types": [str(each) for each in TYPES],
        "found": found,
        "missing_keys": workbench.profile_text.at(("missing_keys",)) or "own_category",
        "of_all": [each for each in remarks.of_room("variables") if len(each.place) < 2],
    }


def _row(
    workbench: Workbench, number: int, name: str, found: FoundFile | None, remarks: Remarks
) -> VariableRow:
    column = found.columns.get(name) if found else None
    drawing = drawn(name, column.sketch) if column is not None and column.sketch else None
    told = declared(workbench.profile_text, name)
    return VariableRow(number, name, told, column, drawing, remarks.at("variables", name))


def drawn(name: str, sketch: Sketch) -> Drawing:
    """Bars of a variable, side by side."""
    most, many = max(sketch.counts, default=0) or 1, len(sketch.counts)
    step = WIDTH / many
    gap = 0 if sketch.of_numbers else min(3.0, step / 4)
    marks: list[Mark] = []
    for place, (count, label) in enumerate(zip(sketch.counts, sketch.labels, strict=True)):
        height = max((HEIGHT - 2) * count / most, 1 if count else 0)
        marks.append(
            rect(
                place * step,
                HEIGHT - height,
                step - gap,
                height,
                "original",
                tip=f"{label}: {count:,}",
                values_of=name,
            )
        )
    kind = "bins" if sketch.of_numbers else "categories"
    return Drawing(WIDTH, HEIGHT, tuple(marks), f"Distribution of {name} over {many} {kind}")


@part("variables", "counted")
def counted(workbench: Workbench, request: Request) -> Response:
    """Counts and pictures of the columns: the room is drawn again once they are there."""
    return when_done(reading(workbench), request, "studio/variables_counted.html")


@part("variables", "risk")
def risk(workbench: Workbench, request: Request) -> Response:
    """How many people the keys single out, and what would change that."""
    job, live = workbench.live.risk(), workbench.live
    job.done.wait(PATIENCE)
    first = live.first(job)
    seen = job.result if isinstance(job.result, LiveRisk) else first
    held = workbench.profile_text.at(("variables",))
    numbers = {name: number for number, name in enumerate(held if isinstance(held, dict) else ())}
    effects = [(numbers[each.name], each) for each in (seen.effects if seen else ()) if each.name in numbers]
    shown = {"live": live, "effects": effects, "swapping": is_partial(request)}
    return when_done(job, request, "studio/variables_risk.html", first, **shown, **_counts(workbench))


@part("variables", "giveaways")
def giveaways(workbench: Workbench, request: Request) -> Response:
    job = workbench.live.giveaways()
    job.done.wait(PATIENCE)
    first = workbench.live.first(job)
    return when_done(job, request, "studio/variables_giveaways.html", first, **_counts(workbench))


def _counts(workbench: Workbench) -> dict[str, int]:
    """How many records there are, and how many a first look is of."""
    try:
        place = workbench.read_already()
    except SdcError:
        place = None
    if place is None or not (sample := place.sample):
        return {}
    return {"sampled": sample.ingested.rows, "records": place.ingested.rows}


@action("variables", "declare")
def declare_all(workbench: Workbench, form: Form) -> str | None:
    """What the table says of each variable; those that differ from the profile are written."""
    told: dict[str, dict[str, Any]] = {}
    for key in ("role", "type", *TEXTS):
        for name, value in form.under(f"{key}:"):
            told.setdefault(name, {})[key] = _known(key, value)
    for key in LISTS:
        for name, value in form.under(f"{key}:"):
            told.setdefault(name, {})[key] = [line.strip() for line in value.split("\n") if line.strip()]
    for name, value in form.under("values:"):
        told.setdefault(name, {})["values"] = _words(value)
    now = {name: declared(workbench.profile_text, name) for name in told}
    changed = {
        name: {key: value for key, value in keys.items() if _differs(now[name], key, value)}
        for name, keys in told.items()
    }
    changed = {name: keys for name, keys in changed.items() if keys}
    ordered = _with_orders(workbench, changed, now)
    said = ", ".join(changed) if len(changed) < 4 else f"{len(changed)} variables"
    declare(workbench, changed, form.expected, f"changed {said}")
    return ordered


def _differs(now: Mapping[str, Any], key: str, value: Any) -> bool:
    shown = {"role": Role.OTHER.value, "type": "categorical", "per": "record", "missing": "allowed"}
    if key == "type" and "type" not in now and now.get("role") == Role.WEIGHT:
        return bool(value != "numeric")
    return bool(value != (now.get(key) or shown.get(key) or type(value)()))


def _known(key: str, value: str) -> str:
    known = {
        "role": [*Role],
        "type": list(TYPES),
        "per": ["record", "household"],
        "missing": ["allowed", "forbidden"],
    }
    if key in known and value not in known[key]:
        raise BadForm(f"no variable has the {key} {value!r}")
    return value


def _words(said: str) -> dict[str, str]:
    """Codes and words, `1 = good` on each line."""
    pairs = [line.partition("=") for line in said.split("\n") if line.strip()]
    if any(not mark for _, mark, _ in pairs):
        raise BadForm("words for categories are written CODE = words, one on each line")
    return {code.strip(): words.strip() for code, _, words in pairs}


def _with_orders(
    workbench: Workbench, changed: Mapping[str, dict[str, Any]], now: Mapping[str, Mapping[str, Any]]
) -> str | None:
    """A variable that became ordinal takes the order of its values in the file until somebody says it."""
    found, told = workbench.found_already(), []
    for name, keys in changed.items():
        if keys.get("type") not in (None, VariableType.ORDINAL.value) and now[name].get("order"):
            keys["order"] = []
        if keys.get("type") != VariableType.ORDINAL or keys.get("order") or now[name].get("order"):
            continue
        sketch = found.columns[name].sketch if found and name in found.columns else None
        if sketch is not None and len(sketch.labels) == found.columns[name].facts.distinct:  # type: ignore[union-attr]
            keys["order"] = sorted(sketch.labels)
            told.append(name)
    if not told:
        return None
    return (
        f"{', '.join(told)}: the order of the values was guessed from their spelling; read it and correct it."
    )


@action("variables", "many")
def many(workbench: Workbench, form: Form) -> str:
    """One role for all that were chosen."""
    chosen, role = form.getlist("chosen"), form.get("role_of_many")
    if not chosen:
        raise BadForm("no variable was chosen")
    if role not in [*Role]:
        raise BadForm("choose a role for them")
    count = with_role(workbench, chosen, role, form.expected)
    return f"{count} {'variable has' if count == 1 else 'variables have'} the role {role} now."


@action("variables", "missing")
def missing(workbench: Workbench, form: Form) -> str | None:
    """What a blank key means to an intruder."""
    if form.get("missing_keys") not in ("own_category", "wildcard"):
        raise BadForm("a missing key is its own category or a wildcard")
    workbench.profile_text.set(("missing_keys",), form.get("missing_keys"), expected=form.expected)
    return None
