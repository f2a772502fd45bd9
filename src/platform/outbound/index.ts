export {
  type OutboundAnswer,
  OutboundClient,
  OutboundFailure,
  type OutboundRequest,
} from './outbound-client.js';
