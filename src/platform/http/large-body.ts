import { SetMetadata } from '@nestjs/common';
import { DOCUMENT_PACE } from './body-pace.js';
import type { JsonBounds } from './json-bounds.js';
import type { BodyLimit } from './read-body.js';

export const LARGE_BODY = 'http:large-body';

/** `bytes`: the handler gets the text as a Buffer, checked against the bounds. */
export interface LargeBodyDeclaration {
  form: 'json' | 'bytes' | 'stream';
  limit: BodyLimit;
  bounds: JsonBounds;
}

/** Members of a body that may be large: 32 MiB of the shortest log entries have fewer. */
const MAX_MEMBERS = 4_000_000;
const MAX_DEPTH = 1000;

/** The route takes a larger JSON body than others do. `bytes` counts after decompression; 413 beyond it. */
export function LargeBody(form: 'json' | 'bytes', bytes: number): MethodDecorator {
  return declare({
    form,
    limit: { bytes, pace: DOCUMENT_PACE },
    bounds: { members: MAX_MEMBERS, depth: MAX_DEPTH },
  });
}

/** The handler reads the body from the request while it arrives. */
export function StreamedBody(): MethodDecorator {
  return declare({ form: 'stream', limit: { bytes: 0 }, bounds: { members: 0, depth: 0 } });
}

function declare(declaration: LargeBodyDeclaration): MethodDecorator {
  return SetMetadata(LARGE_BODY, declaration);
}
