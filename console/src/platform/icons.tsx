import type { ReactNode } from 'react';

/** Drawn on a grid of 16, decorative: what carries an icon has a name of its own. */
function icon(paths: ReactNode) {
  return function Icon() {
    return (
      <svg
        width="1em"
        height="1em"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {paths}
      </svg>
    );
  };
}

export const IconCheck = icon(<path d="M3 8.5l3.5 3.5L13 4.5" />);
export const IconCopy = icon(<path d="M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z" />);
export const IconSearch = icon(<path d="M7 11.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM10.5 10.5L14 14" />);
export const IconMenu = icon(<path d="M2 4h12M2 8h12M2 12h12" />);
export const IconChevron = icon(<path d="M4 6l4 4 4-4" />);
export const IconSun = icon(
  <path d="M8 11a3 3 0 100-6 3 3 0 000 6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7" />,
);
export const IconLock = icon(<path d="M3.5 7.5h9V14h-9zM5.5 7.5V5a2.5 2.5 0 015 0v2.5" />);
export const IconWarning = icon(<path d="M8 2l6.5 12h-13zM8 6.5v3.5M8 12v.1" />);
export const IconDots = icon(<path d="M3 8h.1M8 8h.1M13 8h.1" />);
export const IconUser = icon(
  <path d="M8 8a3 3 0 100-6 3 3 0 000 6zM2.5 14c.5-3 2.5-4.5 5.5-4.5s5 1.500 5.500 4.500" />,
);
