import { Button } from '@mantine/core';
import { useState } from 'react';
import { isLosslessNumber, textOf } from '../client';
import classes from './value-tree.module.css';

const LONG_TEXT = 2_000;
const MANY_MEMBERS = 100;
/** What the service writes in place of a sensitive value. */
const MASKED = '(sensitive value)';

/** A JSON value of any size; objects and lists open, one level at a time. */
export function ValueTree({ value }: { value: unknown }) {
  return (
    <div className={classes.tree}>{isBranch(value) ? <Members value={value} /> : <Leaf value={value} />}</div>
  );
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isLosslessNumber(value);
}

function Members({ value }: { value: object }) {
  const [shown, setShown] = useState(MANY_MEMBERS);
  const members = Object.entries(value);
  if (members.length === 0) return <span className={classes.leaf}>{Array.isArray(value) ? '[]' : '{}'}</span>;
  return (
    <>
      {members.slice(0, shown).map(([name, member]) => (
        <Member key={name} name={name} value={member} />
      ))}
      {members.length > shown && (
        <Button size="compact-xs" variant="default" onClick={() => setShown(shown * 4)}>
          Show more ({members.length - shown})
        </Button>
      )}
    </>
  );
}

function Member({ name, value }: { name: string; value: unknown }) {
  const [isOpen, setOpen] = useState(false);
  if (!isBranch(value) || Object.keys(value).length === 0)
    return (
      <div className={classes.member}>
        <span className={classes.name}>{name}</span>{' '}
        <Leaf value={isBranch(value) ? (Array.isArray(value) ? '[]' : '{}') : value} />
      </div>
    );
  const size = Object.keys(value).length;
  return (
    <details className={classes.member} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={classes.name}>{name}</span>{' '}
        <span className={classes.size}>{Array.isArray(value) ? `[${size}]` : `{${size}}`}</span>
      </summary>
      {isOpen && (
        <div className={classes.inner}>
          <Members value={value} />
        </div>
      )}
    </details>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  if (value === null) return <span className={classes.nothing}>null</span>;
  if (value === MASKED) return <span className={classes.nothing}>(sensitive)</span>;
  const text = typeof value === 'string' ? value : textOf(value);
  if (text === '') return <span className={classes.nothing}>(empty)</span>;
  const isLong = text.length > LONG_TEXT && !isWhole;
  return (
    <>
      <span className={classes.leaf}>{isLong ? text.slice(0, LONG_TEXT) : text}</span>
      {isLong && (
        <Button size="compact-xs" variant="default" onClick={() => setWhole(true)}>
          Show all {text.length} characters
        </Button>
      )}
    </>
  );
}
