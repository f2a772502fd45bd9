import { defineErrors } from '../../platform/errors/index.js';

export const stateErrors = defineErrors({
  STATE_NOT_FOUND: [404, 'state does not exist'],
  STATE_EXISTS: [409, 'this group and workspace are taken'],
  INVALID_STATE: [400, 'the body is not a state document'],
  LINEAGE_MISMATCH: [409, 'the document has another lineage than the stored state'],
  SERIAL_NOT_NEWER: [
    409,
    'the document is older than the stored state and nothing tells what it is based on',
  ],
  TX_CONFLICT: [409, 'the change overlaps a change of another transaction'],
  CHECKSUM_MISMATCH: [503, 'the body does not match its Content-MD5 or Content-Length'],
  STATE_BUSY: [503, 'the state was changed in between; send the document again'],
  STATE_LOCKED: [423, 'the state is locked'],
  LOCK_MISMATCH: [409, 'the state is locked with another id'],
  STATE_FULL_READ_FORBIDDEN: [403, 'the credential may read the outputs only; ask with ?view=outputs'],
  VERSION_NOT_FOUND: [404, 'the state has no such version'],
  SUBMISSION_NOT_FOUND: [404, 'the state has no such submission'],
});
