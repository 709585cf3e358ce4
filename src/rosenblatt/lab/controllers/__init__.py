"""One controller a tab of the page: it takes events, computes, and updates its views."""
