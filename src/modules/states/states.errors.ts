import { defineErrors } from '../../platform/errors/index.js';

export const stateErrors = defineErrors({
  STATE_NOT_FOUND: [404, 'state does not exist'],
  STATE_EXISTS: [409, 'the group already has a state with this workspace'],
  INVALID_STATE: [400, 'the body is not a state document'],
  LINEAGE_MISMATCH: [409, 'the lineage of the document differs from that of the stored state'],
  SERIAL_NOT_NEWER: [
    409,
    'the serial is not higher than that of the stored state, and the version that the document started from is unknown',
  ],
  TX_CONFLICT: [409, 'the change overlaps a change of another transaction'],
  CHECKSUM_MISMATCH: [503, 'the body does not match its Content-MD5 or Content-Length'],
  STATE_BUSY: [503, 'the state changed during the request; send the document again'],
  STATE_LOCKED: [423, 'the state is locked'],
  LOCK_MISMATCH: [409, 'the state is locked with a different lock id'],
  STATE_FULL_READ_FORBIDDEN: [403, 'the credential may read only outputs; use ?view=outputs'],
  VERSION_NOT_FOUND: [404, 'version not found in the state'],
  SUBMISSION_NOT_FOUND: [404, 'submission not found in the state'],
});
