import { graphBlastRadius } from '@infrastate/sdk';
import { table } from '../output/table.rules.js';
import { answer } from '../service/api-client.js';
import { findState } from '../states/state-lookup.js';
import type { RegisterCommand } from './command.js';

export const registerBlastRadius: RegisterCommand = (program, run) => {
  program
    .command('blast-radius')
    .argument('<state>', 'name or id')
    .argument('<address>', "address of the instance, such as 'aws_subnet.main[0]'")
    .description(
      'list the instances that depend on an instance, also those in other states that read its state',
    )
    .action(
      run(async (context, [name = '', address = '']) => {
        const { output } = context;
        const { id: stateId } = await findState(context, name);
        const radius = await answer(graphBlastRadius({ client: context.api(), path: { stateId, address } }));
        await output.result(radius, () => {
          const { hidden_states: states, hidden_instances: instances } = radius;
          if (instances > 0)
            output.printNote(`not listed: ${instances} instances in ${states} states that you may not read`);
          return table(
            ['DISTANCE', 'ADDRESS', 'STATE'],
            radius.results.map((entry) => [
              entry.direction === 'seed' ? '0 (seed)' : String(entry.distance),
              entry.address,
              entry.state_name,
            ]),
            output.width,
          );
        });
      }),
    );
};
