-- Transactions that were aborted or failed kept what they were given to read and were going to write. They forget it when
-- they end from now on.
DELETE FROM transaction_nodes n USING transactions t WHERE t.id = n.tx_id AND t.state IN ('aborted', 'failed');
