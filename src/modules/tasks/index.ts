export { fragmentsOf } from './result-fragments.js';
export { HandlesTask, type TaskRun } from './handles-task.js';
export { Tasks, type NewTask } from './tasks.js';
export { taskErrors } from './tasks.errors.js';
export { TasksModule } from './tasks.module.js';
export { TaskStartedView } from './dto/task.dto.js';
export { TaskRunner } from './task-runner.job.js';
