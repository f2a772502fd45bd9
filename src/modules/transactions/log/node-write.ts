/** Something that a transaction is going to write. */
export interface NodeWrite {
  stateId: string;
  key: string;
  address: string;
}
