export { AppError, defineErrors, documentedErrors, httpErrors } from './app-error.js';
export { ErrorFilter } from './error.filter.js';
export { describeFailure } from './failure-report.js';
