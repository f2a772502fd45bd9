import { createTheme, MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { connectService, createQueryClient, forgetSession } from '../platform/client';
import { RegistryProvider } from '../platform/registry';
import { areas } from './areas';
import './global.css';
import { NONCE } from './nonce';
import { createConsoleRouter, isPublicPath } from './router';

/** Long enough for a slow reader; each can be closed before. */
const NOTIFICATION_MS = 8_000;

const queryClient = createQueryClient();
const router = createConsoleRouter(areas, queryClient);
const theme = createTheme({
  primaryShade: { light: 8, dark: 8 },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // A word that is cut says nothing.
    Badge: { defaultProps: { miw: 'max-content' } },
    // Colored words on a tint of the same color are hard to read.
    Alert: { defaultProps: { styles: { title: { color: 'var(--mantine-color-text)' } } } },
    // The head of a dialog is no banner of the page.
    Modal: { defaultProps: { transitionProps: { duration: 120 }, attributes: { header: { role: 'none' } } } },
    Drawer: { defaultProps: { attributes: { header: { role: 'none' } } } },
  },
});

connectService(() => {
  const { pathname, publicHref } = router.state.location;
  if (isPublicPath(pathname)) return;
  notifications.clean();
  void router
    .navigate({ to: '/login', search: { rd: publicHref }, replace: true, ignoreBlocker: true })
    .then(() => forgetSession(queryClient));
});

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => NONCE}>
      <QueryClientProvider client={queryClient}>
        <RegistryProvider value={{ areas }}>
          <Notifications position="bottom-right" autoClose={NOTIFICATION_MS} />
          <RouterProvider router={router} />
        </RegistryProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
