"""The pull-request bot: a report and a diff become a plan (pure), and the plan is carried out on GitHub (thin)."""
