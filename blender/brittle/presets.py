# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials of the program by name, and settings that look right at once."""

MATERIALS = {  # name: density [kg/m^3], what to expect
    "bone_china": (2700, "Thin, hard tableware"),
    "brick": (1900, "Fired clay, coarse breaks"),
    "concrete": (2400, "Breaks at little tension, crumbles"),
    "glass": (2500, "Soda-lime window glass"),
    "granite": (2650, "Hard coarse stone"),
    "ice": (917, "Weak, brittle, slippery"),
    "laminated_glass": (2450, "Two panes with a film that holds the pieces"),
    "marble": (2700, "Fine stone of statues"),
    "plaster": (1200, "Soft, light, breaks in chunks"),
    "porcelain": (2400, "Plates and cups"),
    "sugar_glass": (1500, "Stage glass, breaks at a touch"),
    "tempered_glass": (2500, "Strong until it falls into crumbs"),
    "terracotta": (1900, "Flower pots and vases"),
    "tile": (2300, "Glazed floor tiles"),
}
TOUGH = {
    "lead": (11340, "Heavy and soft, never breaks"),
    "rubber": (1100, "Bounces, never breaks"),
    "steel": (7850, "Never breaks"),
    "wood": (650, "Never breaks here"),
}
PRESETS = {  # name: settings of a break
    "CHUNKS": ("Chunks", "20 large pieces of even size", {"method": "SHATTER", "pattern": "UNIFORM", "pieces": 20}),
    "RUBBLE": ("Rubble", "300 small pieces with rough cuts", {"method": "SHATTER", "pattern": "UNIFORM", "pieces": 300, "roughness": 0.002}),
    "SHOT": ("Shot", "Small pieces near the hit, large ones far away", {"method": "SHATTER", "pattern": "CLUSTERED", "pieces": 120}),
    "PANE": ("Pane", "Spokes and rings from a hit, for panes of glass", {"method": "SHATTER", "pattern": "RADIAL", "pieces": 80, "material": "glass"}),
    "BLOW": ("Blow", "Cracks run from the hit as far as its energy lasts", {"method": "SHATTER", "pattern": "IMPACT", "pieces": 200, "energy": 5.0}),
    "SPLINTERS": ("Splinters", "Long pieces along z", {"method": "SHATTER", "pattern": "UNIFORM", "pieces": 60, "stretch": (1, 1, 8)}),
    "SLABS": ("Slabs", "Slices across z", {"method": "SHATTER", "pattern": "SLICES", "pieces": 8, "jitter": 0.3}),
    "CRACKS": ("Cracks", "Few true pieces by fracture mechanics; takes seconds", {"method": "CRACK", "material": "porcelain", "impulse": 2.0}),
}


def density(material):
    return (MATERIALS.get(material) or TOUGH.get(material) or (1000, ""))[0]


def material_items(names):
    return [(name, name.replace("_", " ").capitalize(), f"{note}; {kg} kg/m³") for name, (kg, note) in names.items()]
