import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRoute,
  type AnyRouter,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
} from '@tanstack/react-router';
import { type ComponentType, Suspense } from 'react';
import { flagsQuery, SESSION_QUERY } from '../platform/access';
import { parseSearch, stringifySearch } from '../platform/address';
import type { Area, AreaRoute } from '../platform/area';
import { BASE_PATH, mayBeSignedIn } from '../platform/client';
import { ErrorBoundary, Waiting } from '../platform/errors';
import { lazyPart } from '../platform/parts/lazy-part';
import { tenantsQuery } from '../platform/tenant';
import { HomePage } from './home-page';
import { PageNotFound } from './page-not-found';

const loadFrame = () => import('./shell/frame').then((part) => part.Frame);
const Frame = lazyPart(loadFrame);

const PUBLIC_PATHS = new Set(['/login', '/setup', '/invitations/accept']);

/** Pages for people who are not signed in: the end of a session is none of their concern. */
export function isPublicPath(path: string): boolean {
  const below = path.startsWith(BASE_PATH) ? `/${path.slice(BASE_PATH.length)}` : path;
  return PUBLIC_PATHS.has(below.replace(/\/$/, ''));
}

/** Builds the tree of pages from what the areas register. */
export function createConsoleRouter(areas: readonly Area[], queryClient: QueryClient): AnyRouter {
  const root = createRootRoute({ component: Outlet, notFoundComponent: PageNotFound });
  const frame = createRoute({
    getParentRoute: () => root,
    id: 'frame',
    component: FrameInItsBoundary,
    beforeLoad: () => prepareFrame(queryClient),
  });
  const stateFrame = pageRoute(frame, '/states/$stateId', frameOf(areas, 'stateFrame'));
  const txFrame = pageRoute(frame, '/transactions/$txId', frameOf(areas, 'transactionFrame'));
  const parents: Record<'root' | 'frame' | 'state' | 'transaction', AnyRoute[]> = {
    root: [],
    frame: [
      createRoute({ getParentRoute: () => frame, path: '/', component: HomePage }),
      createRoute({ getParentRoute: () => frame, path: '$', component: PageNotFound }),
    ],
    state: [],
    transaction: [],
  };
  for (const route of areas.flatMap((area) => [...(area.routes ?? [])])) {
    if (route.isPublic) parents.root.push(pageRoute(root, route.path, route.page));
    else if (isBelow(route, '/states/$stateId'))
      parents.state.push(pageRoute(stateFrame, restOf(route, '/states/$stateId'), route.page));
    else if (isBelow(route, '/transactions/$txId'))
      parents.transaction.push(pageRoute(txFrame, restOf(route, '/transactions/$txId'), route.page));
    else parents.frame.push(pageRoute(frame, route.path, route.page, cardsOf(areas, route)));
  }
  const tree = root.addChildren([
    ...parents.root,
    frame.addChildren([
      ...parents.frame,
      stateFrame.addChildren(parents.state),
      txFrame.addChildren(parents.transaction),
    ]),
  ]);
  return createRouter({
    routeTree: tree,
    basepath: BASE_PATH,
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    context: { queryClient },
    defaultErrorComponent: ({ error }) => {
      throw error;
    },
  });
}

/** Somebody who signs in for the first time does not wait for what stands around the other pages. */
function FrameInItsBoundary() {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Waiting />}>
        <Frame />
      </Suspense>
    </ErrorBoundary>
  );
}

/** Asks for what every page needs while its parts are loaded. */
function prepareFrame(queryClient: QueryClient): void {
  if (!mayBeSignedIn()) return;
  loadFrame().catch(() => undefined);
  void queryClient.prefetchQuery(SESSION_QUERY);
  void queryClient.prefetchQuery(tenantsQuery());
  void queryClient.prefetchQuery(flagsQuery());
}

function isBelow(route: AreaRoute, path: string): boolean {
  return route.path === path || route.path.startsWith(`${path}/`);
}

function restOf(route: AreaRoute, path: string): string {
  return route.path.slice(path.length) || '/';
}

function frameOf(areas: readonly Area[], kind: 'stateFrame' | 'transactionFrame'): AreaRoute['page'] {
  return areas.find((area) => area[kind])?.[kind] ?? (() => Promise.resolve(Outlet as ComponentType));
}

/** Parts that are loaded together with a page. */
function cardsOf(areas: readonly Area[], { shows }: AreaRoute): Parts {
  return shows === undefined ? [] : areas.flatMap((area) => (area[shows] ?? []).map(({ card }) => card));
}

type Parts = readonly (() => Promise<unknown>)[];

/** Each page is a part of its own, loaded when it is first opened, with an error boundary around it. */
function pageRoute(parent: AnyRoute, path: string, page: AreaRoute['page'], others: Parts = []): AnyRoute {
  const Lazy = lazyPart(page);
  return createRoute({
    getParentRoute: () => parent,
    path,
    // Parts are loaded beside what stands around them. A failure is dealt with where it is shown.
    beforeLoad: () => {
      for (const load of [page, ...others]) load().catch(() => undefined);
    },
    component: function PageInItsBoundary() {
      return (
        <ErrorBoundary>
          <Suspense fallback={<Waiting />}>
            <Lazy />
          </Suspense>
        </ErrorBoundary>
      );
    },
  });
}
