"""A study of the demonstration data in ten lines: python docs/examples/study.py [FOLDER]."""

import sys
from pathlib import Path

import sdc

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
told = {"keys": ["region", "age", "sex"], "sensitive": ["health"], "household": "household_id"}
study = sdc.Study(sdc.demo_data(), weight="weight", seed=1, **told)
print(study.risk("k_anonymity", "unique_entries", "individual_risk", "l_diversity"))
safe = study.protect("global_recode", age={"width": 10}).protect("local_suppression", k=3)
print(safe.assess("k_anonymity", "ks_distance", propensity_mse={"model": "cart"}))
comparison = safe.compare(synthetic=study.synthesise(model="cart", m=5))
print(comparison)
comparison.plot().save(folder / "map.svg")
safe.report(folder / "report.html")
safe.to_profile(folder / "release.yaml")
print(safe.table.head())
print(f"{len(sdc.measures())} measures, {len(sdc.methods())} methods, {sdc.load(folder / 'release.yaml')}")
