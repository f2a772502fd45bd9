/** What became of a posted document. */
export class WriteView {
  state_id: string;
  /** of the stored document; higher than the posted one when it was merged */
  serial: number;
  version: number;
  /** `stored` as it came, `merged` with changes of others, or `unchanged`: it was stored before */
  result: 'stored' | 'merged' | 'unchanged';
  tx_id: string;
}
