"""What the name of a column says about it."""

from __future__ import annotations

import re
import unicodedata

LETTERS = str.maketrans(
    {
        "ß": "ss",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
    }
)
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")

# A word is one of the parts of a name (household_id has household and id); a word that ends in - is how a
# part begins.
PERSON = """
    name- surname- firstname- lastname- forename- vorname- nachname- nom prenom- utilname email- mail
    phone- tel telephone- mobile- fax address- adresse- street- strasse- iban ssn passport- nino tin url
    ip login username- signature-
"""
NUMBER_OF_RECORD = "id pid personid rb030 record- row index idx uid uuid guid nr ident- caseid serial-"
WEIGHT = "weight- wgt- wt wts gewicht- pond- poids- peso- hochrechnung- grossing- w rb050 afnlwgt"
WEIGHT_OF_HOUSEHOLD = "household- hh home db090"
BODY = "height bmi"
HOUSEHOLD = "household- hh hhid hid homeid haushalt- menage- dwelling- family- db030"
STRATUM = "stratum- strata- psu"
PLACE = """
    region- nuts- lau- state- county- province- provinz- provincia- land bundesland- district- kreis
    municipality- municipio- gemeinde- gemeente- commune- comune- city town ville ort wohnort- place-
    postcode- postal- plz zip- urban- urbrur rural- area- canton- kanton- department- departement-
    departamento- parish- ward quartier- db040
"""
COORDINATE = "lat latitude- lon lng longitude- coord- easting- northing- gps- geo- utm-"
DEMOGRAPHIC = """
    age- alter edad sex sexe sexo sesso geschlecht gender- birth- geburt- gebdat- naissance- nacimiento-
    nascita dob marital- marstat civil- hhcivil familienstand married- nation- citizen- ethn- etni race
    country- origin- language- mother- rb090 pb220a
"""
VISIBLE = """
    edu- educ- school- degree- qualification- occupation- occu- beruf- metier- job- profession- socprof-
    isco- activity- employ- labour- labor- hsize size members children- kids relat- htype type tenure-
    status pl030
"""
SENSITIVE = """
    income- hincome- einkommen- earn- wage- salary- lohn tax- wealth- asset- debt- money- spend- expend-
    saving- revenue- profit- sales- turnover- cost- capital- funds- treasury- benefit- pension- loan- py
    hy health- disease- diagnos- disab- depress- illness- icd- hiv- alc- drug- smok- religion- faith-
    politic- party vote- sexual- crime- convict- union-
"""
ORDERED = "edu- educ- degree- health- grade- level- class- satisf- ls urban- size agegr- placesize-"
CODED = (
    "occu- beruf- profession- isco- nace- naics- postcode- postal- plz zip- municipality- municipio-"
    " gemeinde- commune- comune- nuts- lau-"
)
GROUPED = "group- grp gr class- code- band- cat-"
QUANTITY = (
    "age alter year- jahr number- count- size hsize months- month days- hours- income- height- weight-"
    " amount- price-"
)


def plain(name: str) -> str:
    """A name without accents: région is region, Größe is Grosse."""
    return "".join(
        letter
        for letter in unicodedata.normalize("NFKD", name.translate(LETTERS))
        if not unicodedata.combining(letter)
    )


def parts(name: str) -> list[str]:
    """'ageGroup' and 'AGE.GROUP' both have age and group."""
    return [part.lower() for part in PARTS.findall(plain(name))]


def speaks_of(name: str, words: str) -> bool:
    """Does a part of the name, or the whole of it, say one of the words?

    Long ones may stand anywhere (TOTREVENUE).
    """
    said = [*parts(name), plain(name).lower()]
    return any(_is_said(word, part) for word in words.split() for part in said)


def _is_said(word: str, part: str) -> bool:
    stem = word.removesuffix("-")
    return part == stem or (stem != word and (part.startswith(stem) or (len(stem) > 4 and stem in part)))
