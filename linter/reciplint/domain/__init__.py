"""Typed, frozen views of what the files mean: masters, recipes, changelog, policy, runners."""
