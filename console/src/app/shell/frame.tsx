import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useBlocker, useLocation } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { SESSION_QUERY, SessionProvider } from '../../platform/access';
import { GoTo, usePathIds } from '../../platform/address';
import { ApiFailure, BASE_PATH, mayBeSignedIn } from '../../platform/client';
import { ErrorBoundary, FailureAlert, Waiting } from '../../platform/errors';
import { useTenantOf } from '../../platform/tenant';
import { hasUnsaved } from '../../platform/unsaved';
import { Banner } from './banner';
import classes from './frame.module.css';
import { MainNavigation } from './main-navigation';

/** Everything around a page of somebody who is signed in. */
export function Frame() {
  return mayBeSignedIn() ? <FrameOfSession /> : <ToSignIn />;
}

/** Back to this address after signing in. */
function ToSignIn() {
  const address = useLocation({ select: (location) => location.publicHref });
  return <GoTo to="/login" search={{ rd: address }} />;
}

function FrameOfSession() {
  const user = useQuery(SESSION_QUERY);
  if (user.data)
    return (
      <SessionProvider user={user.data}>
        <SignedInFrame />
      </SessionProvider>
    );
  // The end of a session leads to the sign-in page; nothing is shown meanwhile.
  const isGoing = user.error instanceof ApiFailure && user.error.status === 401;
  if (user.error && !isGoing)
    return (
      <main className={classes.alone}>
        <h1>Infrastructure State Service</h1>
        <FailureAlert failure={user.error} retry={() => void user.refetch()} />
      </main>
    );
  return <Waiting reason={isGoing ? undefined : user.failureReason} />;
}

function SignedInFrame() {
  const path = useLocation({ select: (location) => location.pathname });
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  const [isOpen, setOpen] = useState(false);
  useTenantOf(usePathIds()['tenantId']);
  useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && !mayLeave(),
    enableBeforeUnload: false,
  });
  useEffect(() => setOpen(false), [path]);
  return (
    <>
      <SkipLink />
      <Banner isWide={isWide} onNavigation={() => setOpen(true)} />
      <div className={classes.body}>
        {isWide ? (
          <div className={classes.side}>
            <MainNavigation />
          </div>
        ) : (
          <Drawer
            opened={isOpen}
            onClose={() => setOpen(false)}
            title="Navigation"
            size="16rem"
            closeButtonProps={{ 'aria-label': 'Close' }}
          >
            <MainNavigation />
          </Drawer>
        )}
        <main id="content" tabIndex={-1} className={classes.main}>
          <ErrorBoundary resetKey={path}>
            <Suspense fallback={<Waiting />}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
    </>
  );
}

/** Asks before something typed is lost by going to another page. The browser asks before it leaves the document. */
function mayLeave(): boolean {
  return !hasUnsaved() || window.confirm('What you typed is not saved. Leave this page?');
}

function SkipLink() {
  const skip = (event: { preventDefault: () => void }): void => {
    event.preventDefault();
    document.getElementById('content')?.focus();
  };
  return (
    <a href={`${BASE_PATH}#content`} className={classes.skip} onClick={skip}>
      Skip to content
    </a>
  );
}
