import { conflictsByTransaction } from './submission-conflicts.rules';

it('names what each transaction changed, once for each transaction', () => {
  expect(
    conflictsByTransaction([
      { tx_id: 'b', address: 'aws_vpc.main' },
      { tx_id: 'a' },
      { tx_id: 'b', output: 'url' },
    ]),
  ).toEqual([
    { txId: 'b', names: ['aws_vpc.main', 'output.url'], isEverything: false },
    { txId: 'a', names: [], isEverything: true },
  ]);
});
