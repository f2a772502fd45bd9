import { tasksGet, tasksResults } from '@infrastate/sdk';
import { answer } from '../service/api-client.js';
import type { RegisterCommand } from './command.js';

export const registerTasks: RegisterCommand = (program, run) => {
  program
    .command('tasks')
    .description('tasks: long-running work of the service')
    .command('show')
    .argument('<id>')
    .description('show the progress of a task')
    .action(
      run(async (context, [taskId = '']) => {
        const client = context.api();
        const task = await answer(tasksGet({ client, path: { taskId } }));
        const { count } = await answer(tasksResults({ client, path: { taskId } }));
        await context.output.result({ ...task, results: count }, () => {
          const { done, total, message } = task.progress ?? {};
          return [
            `task ${task.id} is ${task.state}${task.error ? ` (${task.error})` : ''}`,
            ...(task.progress
              ? [`progress ${done ?? 0}${total ? ` of ${total}` : ''} ${message ?? ''}`.trimEnd()]
              : []),
            `${count} result fragments`,
          ].join('\n');
        });
      }),
    );
};
