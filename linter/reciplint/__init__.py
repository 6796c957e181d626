"""reciplint: a linter and fixer for repositories of LLM inference recipes and benchmark master configs."""

__version__ = "0.1.0"
