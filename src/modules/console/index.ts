export { ConsoleFiles } from './console-files.js';
export { ConsoleModule } from './console.module.js';
export { waitingPage } from './waiting-page.js';
