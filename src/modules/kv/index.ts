export { KvModule } from './kv.module.js';
