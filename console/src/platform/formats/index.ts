export { CopyButton, copyText, Id, OneTimeSecret } from './copy';
export { formatBytes, formatCount, plural } from './numbers';
export { exactTime, relativeTime } from './relative-time';
export { Time } from './time';
