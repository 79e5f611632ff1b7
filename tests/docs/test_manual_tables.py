"""Tables of the manual are complete and true: extras, and the names of other packages beside ours."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from manual_text import INLINE

ROOT = Path(__file__).parents[2]


def words(text: str) -> list[str]:
    return text.split()


SDCMICRO = words("""
strataVar<- IL_correl IL_variables KI_createSdcObj LocalRecProg addGhostVars addNoise argus_microaggregation argus_rankswap
calcRisks createDat createNewID createSdcObj dRisk dRiskRMD dUtility dataGen extractManipData freq freqCalc generateStrata
get.sdcMicroObj globalRecode groupAndRename importProblem indivRisk infoLoss kAnon kAnon_violations ldiversity localSupp
localSuppression mafast measure_risk mergeHouseholdData microaggrGower microaggregation modRisk mvTopCoding nextSdcObj
plotMicro pram rankSwap readMicrodata recordSwap removeDirectID report riskyCells sdcApp selectHouseholdData
set.sdcMicroObj shuffle suda2 topBotCoding undolast valTable varToFactor varToNumeric writeSafeFile sdcMicroObj
""")
"""What the NAMESPACE of sdcMicro exports, methods of plot and print apart."""
SYNTHPOP = words("""
syn syn.strata syn.cart syn.ctree syn.logreg syn.norm syn.normrank syn.passive syn.pmm syn.polr syn.polyreg syn.sample
syn.survctree syn.lognorm syn.sqrtnorm syn.cubertnorm syn.rf syn.ranger syn.bag syn.nested syn.satcat syn.catall syn.ipf
syn.smooth compare compare.synds compare.fit.synds compare.data.frame compare.list multi.compare lm.synds glm.synds
multinom.synds polr.synds summary.fit.synds replicated.uniques sdc read.obs write.syn utility.gen utility.tab
utility.tables codebook.syn numtocat.syn disclosure multi.disclosure mergelevels.syn synorig.compare SD2011
""")
"""What synthpop 1.9 exports and documents, methods of print and summary apart."""
ARX = [
    *(
        "k-anonymity",
        "k-map",
        "average risk",
        "sample uniqueness",
        "population uniqueness",
        "l-diversity",
        "t-closeness",
    ),
    *("δ-disclosure", "β-likeness", "δ-presence", "profitability", "differential privacy", "generalisation"),
    *(
        "local recoding",
        "suppression of records",
        "microaggregation",
        "top and bottom coding",
        "random sampling",
    ),
]
"""Privacy models and transformations of ARX, as its classes of criteria name them."""
MOVES = {
    "how-to/from-sdcmicro.md": SDCMICRO,
    "how-to/from-synthpop.md": SYNTHPOP,
    "how-to/from-arx.md": ARX,
}


def rows(text: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split(" | ")]
        for line in text.splitlines()
        if line.startswith("| ") and not line.startswith("|---")
    ]


@pytest.fixture(scope="module")
def known(manual) -> set[str]:
    """Every name of the catalogue and of the library: units, models, options, parts, words an option takes."""
    made = [*(manual / "units").rglob("*.md"), manual / "catalogue.md", manual / "library-names.md"]
    return {*re.findall(r"[a-z][a-z0-9_]+", " ".join(place.read_text() for place in made))}


@pytest.mark.parametrize("page", MOVES)
def test_a_table_of_another_package_has_all_its_names(manual, page):
    text = (manual / page).read_text()
    first = " ".join(row[0] for row in rows(text))
    names = {*INLINE.findall(first)} if page != "how-to/from-arx.md" else first
    assert [name for name in MOVES[page] if name not in names] == []


@pytest.mark.parametrize("page", MOVES)
def test_what_we_offer_beside_them_is_there(manual, page, known):
    ours = [
        name for row in rows((manual / page).read_text()) if len(row) > 1 for name in INLINE.findall(row[1])
    ]
    units = [name for name in ours if re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", name)]
    assert len(units) > 20
    beside = {"missing_keys", "direct_identifier", "missing_codes", "record_key"}
    assert [name for name in units if name not in known | beside] == []


def test_where_there_is_no_equal_the_tables_say_so(manual):
    for page in MOVES:
        assert (
            sum("none" in row[1].lower() for row in rows((manual / page).read_text()) if len(row) > 1) >= 2
        ), page


def test_the_page_of_the_installation_has_every_extra(manual):
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    table = (manual / "installation.md").read_text().split("| extra |")[1].split("\n\n")[0]
    named = {name: row for row in rows(table) for name in INLINE.findall(row[0])}
    assert {*named} == {*extras}
    locked = (ROOT / "requirements.lock").read_text()
    for name, wanted in extras.items():
        packages = [re.match(r"[\w-]+", each)[0] for each in wanted]
        held = all(re.search(rf"^{package}==", locked, re.MULTILINE) for package in packages)
        if name not in ("build", "dev"):
            assert (named[name][3] == "yes") is held, name
    makefile = (ROOT / "Makefile").read_text()
    assert all(f"--extra {name}" in makefile for name in ("encryption", "formats", "store", "build"))
