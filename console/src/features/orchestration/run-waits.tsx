import { List } from '@mantine/core';
import { PageLink } from '../../platform/address';
import type { RunStandingView } from '../../platform/client';

/** What a queued run waits for, with links to what stands in the way. */
export function RunWaits({ waits, runs }: { waits: RunStandingView['waits_for']; runs: string }) {
  return (
    <List size="sm" listStyleType="none" aria-label="What the run waits for">
      {waits.map(({ reason, text, work_manifest_id }) => (
        <List.Item key={`${reason} ${text} ${work_manifest_id ?? ''}`}>
          <bdi>{text}</bdi>
          {work_manifest_id !== undefined && (
            <>
              {' ('}
              <PageLink
                to={`${runs}/${work_manifest_id}`}
                underline="always"
              >{`run ${work_manifest_id.slice(0, 8)}`}</PageLink>
              {')'}
            </>
          )}
        </List.Item>
      ))}
    </List>
  );
}
