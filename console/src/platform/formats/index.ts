export { toCsv } from './csv';
export { Facts } from './facts';
export { CopyButton, copyText, Id, OneTimeSecret } from './copy';
export { formatBytes, formatCount, plural } from './numbers';
export { exactTime, relativeTime } from './relative-time';
export { saveFile } from './save';
export { Time } from './time';
