export { type Slice, TemporaryFile } from './temporary-file.js';
