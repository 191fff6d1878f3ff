# The pages about each other: links, headings, the index. Less than a second.

.PHONY: check-docs
check-docs:
	@tests/docs/check
