export { GoTo } from './go-to';
export { OutsideLink, PageLink } from './page-link';
export { ownPath, parseSearch, stringifySearch, type View } from './search-text';
export { first, usePathId, usePathIds, useView } from './use-view';
