import { layout, type LayoutTask } from './graph-layout';

const scope = self as unknown as {
  onmessage: (event: MessageEvent<LayoutTask>) => void;
  postMessage: (message: Float64Array) => void;
};

scope.onmessage = ({ data }) => scope.postMessage(layout(data));
