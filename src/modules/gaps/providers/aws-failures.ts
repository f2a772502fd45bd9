import { CloudFailure, type FailureCode } from '../clouds/cloud-inventory.js';

const NETWORK =
  /^(?:TimeoutError|NetworkingError|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SSL\w*|ERR_TLS\w*)$/;
const THROTTLING =
  /^(?:Throttl\w*|TooManyRequests\w*|RequestLimitExceeded|RequestThrottled\w*|SlowDown|BandwidthLimitExceeded|ProvisionedThroughputExceeded\w*)$/;
const REFUSAL =
  /^(?:AccessDenied\w*|UnauthorizedOperation|UnauthorizedException|UnrecognizedClientException|InvalidClientTokenId|InvalidSignatureException|SignatureDoesNotMatch|ExpiredToken\w*|CredentialsProviderError|AuthFailure|OptInRequired|InvalidAccessKeyId|MissingAuthenticationToken\w*|IncompleteSignature|NotAuthorized\w*|RegionDisabledException)$/;
const NONSENSE = /^(?:SyntaxError|ResponseTooLarge|TypeError)$/;

/** What an error of the SDK, or of a request of our own to AWS, means. Its text may hold ids and is left out. */
export function failureOf(error: unknown, action: string): CloudFailure {
  if (error instanceof CloudFailure) return error;
  const {
    name = '',
    code,
    $metadata,
  } = (error ?? {}) as {
    name?: string;
    code?: unknown;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  const names = [name, typeof code === 'string' ? code : ''];
  const is = (form: RegExp): boolean => names.some((text) => form.test(text));
  return new CloudFailure(codeOf(is, status, name), {
    action,
    cloudCode: name === 'Error' ? undefined : name,
  });
}

function codeOf(is: (form: RegExp) => boolean, status: number | undefined, name: string): FailureCode {
  if (name === 'AbortError') return 'UNREACHABLE';
  if (is(THROTTLING) || status === 429) return 'THROTTLED';
  if (is(REFUSAL)) return 'ACCESS_DENIED';
  // The SDK says so of an answer that it cannot read, whatever the status was.
  if (is(NONSENSE)) return 'INVALID_RESPONSE';
  if (is(NETWORK)) return 'UNREACHABLE';
  if (status === 401 || status === 403) return 'ACCESS_DENIED';
  return 'CLOUD_ERROR';
}
