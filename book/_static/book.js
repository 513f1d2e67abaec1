// Search results fetch a summary of each page, which browsers refuse to pages opened from a file.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
