/** @jest-environment @happy-dom/jest-environment */
import { act, render, screen } from '@testing-library/react';
import { exactTime } from './relative-time';
import { Time } from './time';

const NOON = Date.UTC(2026, 0, 1, 12);
const secondsBefore = (seconds: number): string => new Date(NOON - seconds * 1_000).toISOString();

beforeEach(() => jest.useFakeTimers({ now: NOON }));
afterEach(() => jest.useRealTimers());

it('keeps relative times fresh while they are shown, with one timer for all of them', () => {
  const { container, unmount } = render(
    <>
      <Time value={secondsBefore(10)} />
      <Time value={secondsBefore(3_590)} />
    </>,
  );
  const texts = () => [...container.querySelectorAll('time')].map(({ textContent }) => textContent);
  expect(texts()).toEqual(['now', '59 minutes ago']);
  expect(jest.getTimerCount()).toBe(1);
  act(() => jest.advanceTimersByTime(80_000));
  expect(texts()).toEqual(['1 minute ago', '1 hour ago']);
  act(() => jest.advanceTimersByTime(60_000));
  expect(texts()[0]).toBe('2 minutes ago');
  unmount();
  expect(jest.getTimerCount()).toBe(0);
});

it('has the exact instant on hover, and a dash for none', () => {
  const { container } = render(
    <>
      <Time value={secondsBefore(60)} />
      <Time value={null} />
    </>,
  );
  expect(screen.getByText('1 minute ago').title).toBe(exactTime(NOON - 60_000));
  expect(container.textContent).toBe('1 minute ago–');
});
