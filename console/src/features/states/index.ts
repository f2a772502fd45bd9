export { useStateOfPage } from './state-context';
