export { Answer, Empty, Waiting } from './answer';
export { ErrorBoundary } from './error-boundary';
export { FailureAlert, fieldFailure, wordsOf } from './failure-alert';
export { NotFound } from './not-found';
