export { ValueTree } from './value-tree';
