"""Runs the rules over files and projects, and decides which findings are anybody's business."""
