import documentation from '../../../../docs/sql.md?raw';
import { examplesIn } from './examples.rules';

/** The useful queries of docs/sql.md. */
export const EXAMPLES = examplesIn(documentation);
