import './app/nonce';
import './app/mantine.css';
import '@mantine/notifications/styles.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { BASE_PATH, SIGN_IN_FAILURE } from './platform/client';

// A sign-in that failed at the provider ends here, at an address that holds what the provider sent.
if (SIGN_IN_FAILURE)
  history.replaceState(null, '', `${BASE_PATH}login?failure=${encodeURIComponent(SIGN_IN_FAILURE)}`);

const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
