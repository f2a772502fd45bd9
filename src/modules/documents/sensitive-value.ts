/** Replaces a sensitive value in stored plans and in log entries that are shown. */
export const SENSITIVE = '(sensitive value)';
