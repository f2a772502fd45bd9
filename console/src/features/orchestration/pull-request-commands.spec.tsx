/** @jest-environment @happy-dom/jest-environment */
import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import type { PullRequestOverviewView } from '../../platform/client';
import { PullRequestCommands } from './pull-request-commands';
import { planObstacle } from './pull-request-commands.rules';

const planned = {
  dir: 'a',
  workspace: 'default',
  is_overtaken: false,
  is_applicable: true,
  plan: {
    work_manifest_id: 'r',
    state: 'success',
    hooks_failed: false,
    has_changes: true,
    created_at: '2026-01-01T00:00:00Z',
  },
} as const;
const held = { dir: 'a', workspace: 'default', pull_number: 7, created_at: '', reason: 'applied' } as const;

function shown(fields: Partial<PullRequestOverviewView>): string[] {
  const found = {
    state: 'open',
    is_fork: false,
    pull_number: 7,
    directories: [],
    holds: [],
    ...fields,
  } as unknown as PullRequestOverviewView;
  const { unmount } = render(
    <MantineProvider>
      <PullRequestCommands found={found} />
    </MantineProvider>,
  );
  const commands = screen.queryAllByRole('button').map((button) => button.textContent);
  unmount();
  return commands;
}
const [PLAN, APPLY, UNLOCK] = ['plan', 'apply', 'unlock'].map((verb) => `Copy infrastate ${verb}`);

it('offers an apply only of a plan that the service would apply, while nothing is applied', () => {
  expect(shown({})).toEqual([PLAN]);
  expect(shown({ directories: [planned] })).toEqual([PLAN, APPLY]);
  expect(shown({ directories: [{ ...planned, is_applicable: false }] })).toEqual([PLAN]);
  expect(shown({ directories: [planned], holds: [{ ...held, pull_number: 8 }] })).toEqual([PLAN]);
  expect(shown({ directories: [planned], holds: [held] })).toEqual([PLAN, APPLY, UNLOCK]);
  const applied = { ...planned, is_applicable: false };
  const running = { ...applied, apply: { ...planned.plan, state: 'running' as const } };
  expect(shown({ directories: [planned, running] })).toEqual([PLAN]);
});

it('says why a plan that succeeded with changes cannot be applied', () => {
  const lost = { ...planned, is_applicable: false };
  expect(planObstacle(planned)).toBeUndefined();
  expect(planObstacle(lost)).toMatch(/cannot be applied.*plan again/);
  expect(planObstacle({ ...lost, is_overtaken: true })).toMatch(/^Another pull request/);
  expect(planObstacle({ ...lost, plan: { ...planned.plan, hooks_failed: true } })).toMatch(/^A hook/);
  expect(planObstacle({ ...lost, plan: { ...planned.plan, has_changes: false } })).toBeUndefined();
  expect(planObstacle({ ...lost, apply: planned.plan })).toBeUndefined();
  expect(planObstacle({ ...lost, apply: { ...planned.plan, state: 'aborted' } })).toMatch(/plan again/);
});

it('offers to unlock only what the pull request itself holds and nobody applies', () => {
  expect(shown({ holds: [held] })).toEqual([PLAN, UNLOCK]);
  expect(shown({ holds: [{ ...held, reason: 'applying' }] })).toEqual([PLAN]);
  expect(shown({ holds: [{ ...held, pull_number: 8 }] })).toEqual([PLAN]);
});

it('offers a fork and a closed pull request nothing to run, and an apply after the merge', () => {
  expect(shown({ is_fork: true, directories: [planned] })).toEqual([]);
  expect(shown({ state: 'closed', directories: [planned], holds: [held] })).toEqual([UNLOCK]);
  expect(shown({ state: 'merged', directories: [planned] })).toEqual([APPLY]);
});
