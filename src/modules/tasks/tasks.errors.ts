import { defineErrors } from '../../platform/errors/index.js';

export const taskErrors = defineErrors({
  TASK_NOT_FOUND: [404, 'task not found'],
  TASK_RESULT_NOT_FOUND: [404, 'task result not found'],
  TASK_FINISHED: [409, 'the task has ended'],
  TASK_IS_STEP: [409, 'this task belongs to a transaction; abort the transaction instead'],
});
