import { Alert, Button, Stack, Text } from '@mantine/core';
import { type QueryClient, QueryClientContext } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';
import { PartFailure } from '../parts/lost-part';
import { FailureAlert } from './failure-alert';

interface BoundaryProps {
  children: ReactNode;
  /** changing it shows the children again */
  resetKey?: string;
}

/** Keeps a failure of one page or card to that page or card. */
export class ErrorBoundary extends Component<BoundaryProps, { failure: unknown }> {
  static override readonly contextType = QueryClientContext;
  override state: { failure: unknown } = { failure: undefined };

  static getDerivedStateFromError(failure: unknown): { failure: unknown } {
    return { failure };
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (before.resetKey !== this.props.resetKey && this.state.failure !== undefined) this.reset();
  }

  /** An answer that could not be shown must be asked for again: nothing on the screen uses it any more. */
  private readonly reset = (): void => {
    (this.context as QueryClient | undefined)?.removeQueries({ type: 'inactive' });
    this.setState({ failure: undefined });
  };

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    if (failure instanceof PartFailure) return <PartLost reason={failure.reason} />;
    return <FailureAlert failure={failure} retry={this.reset} title="This part cannot be shown" />;
  }
}

const LOST: Readonly<Record<PartFailure['reason'], string>> = {
  unsaved:
    'The service may have been replaced by another version, or it cannot be reached. What you typed is still here; loading the page anew loses it.',
  reloaded:
    'The page was loaded anew, which did not help. The service may be changing its version at this moment, or it cannot be reached.',
};

function PartLost({ reason }: { reason: PartFailure['reason'] }) {
  return (
    <Alert color="orange" title="A part of the console could not be loaded" role="alert">
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{LOST[reason]}</Text>
        <Button size="xs" variant="default" onClick={() => location.reload()}>
          Load the page anew
        </Button>
      </Stack>
    </Alert>
  );
}
