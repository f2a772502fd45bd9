export { AppError, defineErrors, documentedErrors, httpErrors, isSwitchedOff } from './app-error.js';
export { ErrorFilter, noRoute, type UnknownAnswers } from './error.filter.js';
export { DescribedFailure, describeFailure, type FailureDescription } from './failure-report.js';
