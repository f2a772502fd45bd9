export { AppError, defineErrors, documentedErrors, httpErrors } from './app-error.js';
export { ErrorFilter } from './error.filter.js';
export { DescribedFailure, describeFailure, type FailureDescription } from './failure-report.js';
