import { initialsOf } from './initials';
import classes from './person-name.module.css';

/** Somebody's name after their initials, which stand where others show a picture: none is loaded from anywhere. */
export function PersonName({ name }: { name: string }) {
  return (
    <span className={classes.person}>
      <span className={classes.initials} aria-hidden="true">
        {initialsOf(name)}
      </span>
      <bdi>{name}</bdi>
    </span>
  );
}
