import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { serverOpenapiOptions } from '../../platform/client';
import { Answer, Waiting } from '../../platform/errors';
import { Page } from '../../platform/page';
import { lazyPart } from '../../platform/parts/lazy-part';

const Viewer = lazyPart(() => import('./reference-viewer').then((part) => part.ReferenceViewer));

/** The API as this service describes it; nothing can be sent from here. */
export function ReferencePage() {
  const description = useQuery({ ...serverOpenapiOptions(), staleTime: Infinity });
  return (
    <Page title="API reference">
      <Answer of={description}>
        {(document) => (
          <Suspense fallback={<Waiting />}>
            <Viewer document={document} />
          </Suspense>
        )}
      </Answer>
    </Page>
  );
}
