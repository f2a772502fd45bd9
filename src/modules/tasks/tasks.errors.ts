import { defineErrors } from '../../platform/errors/index.js';

export const taskErrors = defineErrors({
  TASK_NOT_FOUND: [404, 'task does not exist'],
  TASK_RESULT_NOT_FOUND: [404, 'the task has no such result'],
  TASK_FINISHED: [409, 'the task has ended'],
  TASK_IS_STEP: [409, 'the task is a step of a transaction, which is what can be aborted'],
});
