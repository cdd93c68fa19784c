#!/usr/bin/env python3
"""dynamodb_throttle.py PORT UPSTREAM_PORT: refuses what Amazon's DynamoDB would for want of provisioned capacity.

DynamoDB Local takes the units of a table and never throttles. This passes its requests on, and keeps a token bucket
for the read and one for the write units of each provisioned table, as the service documents them: a table gains its
units each second and keeps at most what 300 seconds of them are ("burst capacity"). A request is sent if there is a
token, and takes as many as the answer says that it consumed; else it is refused with
ProvisionedThroughputExceededException. A new table begins with a full bucket, as one that was idle has it.

What the service does beside this is left out: limits of a partition (3,000 read and 1,000 write units), adaptive
capacity, items left undone in a batch. GET /throttled answers how many requests were sent and refused, by operation.
"""
import asyncio
import json
import sys
import time

BURST = 300.0
READS = {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
REFUSAL = json.dumps({
    "__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
    "message": "The level of configured provisioned throughput for the table was exceeded.",
}).encode()


class Bucket:
    def __init__(self, units):
        self.units, self.tokens, self.at = units, BURST * units, time.monotonic()

    def fill(self):
        now = time.monotonic()
        self.tokens = min(BURST * self.units, self.tokens + (now - self.at) * self.units)
        self.at = now

    def resized(self, units):
        self.fill()
        self.units, self.tokens = units, min(self.tokens, BURST * units)


class Throttle:
    def __init__(self):
        self.tables = {}  # name: None of a table that is paid for by the request, else its two buckets
        self.counts = {}  # operation: [sent, refused]

    def described(self, description):
        name, units = description.get("TableName"), description.get("ProvisionedThroughput") or {}
        mode = (description.get("BillingModeSummary") or {}).get("BillingMode")
        read, write = units.get("ReadCapacityUnits", 0), units.get("WriteCapacityUnits", 0)
        if mode == "PAY_PER_REQUEST" or not (read and write):
            self.tables[name] = None
        elif not self.tables.get(name):
            self.tables[name] = {"r": Bucket(read), "w": Bucket(write)}
        else:
            self.tables[name]["r"].resized(read)
            self.tables[name]["w"].resized(write)

    def buckets(self, operation, body):
        kind = "r" if operation in READS else "w" if operation in WRITES else None
        named = [body.get("TableName"), *body.get("RequestItems", {})]
        named += [one.get("TableName") for item in body.get("TransactItems", []) for one in item.values()]
        if kind is None:
            return {}
        return {name: self.tables[name][kind] for name in named if self.tables.get(name)}

    def refuses(self, operation, buckets):
        for bucket in buckets.values():
            bucket.fill()
        refused = any(bucket.tokens <= 0 for bucket in buckets.values())
        self.counts.setdefault(operation, [0, 0])[refused] += 1
        return refused

    def answered(self, answer, buckets):
        for key in ("Table", "TableDescription"):
            if isinstance(answer.get(key), dict):
                self.described(answer[key])
        consumed = answer.get("ConsumedCapacity") or []
        for one in consumed if isinstance(consumed, list) else [consumed]:
            if one.get("TableName") in buckets:
                buckets[one["TableName"]].tokens -= one.get("CapacityUnits", 0.0)


async def message(reader):
    """The first line, headers and body of a message; None at the end of the connection."""
    line = await reader.readline()
    if not line:
        return None
    raw, length, chunked, target = [line], 0, False, ""
    while (header := await reader.readline()) not in (b"\r\n", b"\n", b""):
        raw.append(header)
        name, _, value = header.decode("latin-1").partition(":")
        name, value = name.strip().lower(), value.strip()
        length = int(value) if name == "content-length" else length
        chunked = chunked or (name == "transfer-encoding" and "chunked" in value.lower())
        target = value.rpartition(".")[2] if name == "x-amz-target" else target
    raw.append(b"\r\n")
    body = b""
    if not chunked:
        body = await reader.readexactly(length)
        return line, target, body, b"".join(raw) + body
    while size := int((head := await reader.readline()).split(b";")[0], 16):
        piece = await reader.readexactly(size)
        raw += [head, piece, await reader.readline()]
        body += piece
    raw += [head, await reader.readline()]
    return line, target, body, b"".join(raw)


def response(status, body):
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def parsed(body):
    try:
        found = json.loads(body or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


async def serve(throttle, upstream, reader, writer):
    there = None
    try:
        there = await asyncio.open_connection("127.0.0.1", upstream)
        while request := await message(reader):
            line, operation, body, raw = request
            if line.startswith(b"GET /throttled"):
                writer.write(response("200 OK", json.dumps(throttle.counts).encode()))
                continue
            buckets = throttle.buckets(operation, parsed(body))
            if throttle.refuses(operation, buckets):
                writer.write(response("400 Bad Request", REFUSAL))
                await writer.drain()
                continue
            for _ in range(2):
                there[1].write(raw)
                if answer := await message(there[0]):
                    break
                # It closed a connection that was idle, and took nothing of the request.
                there[1].close()
                there = await asyncio.open_connection("127.0.0.1", upstream)
            else:
                break
            throttle.answered(parsed(answer[2]), buckets)
            writer.write(answer[3])
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError, OSError):
        pass
    finally:
        for end in (writer, there and there[1]):
            if end:
                end.close()


async def main(port, upstream):
    throttle = Throttle()
    server = await asyncio.start_server(
        lambda reader, writer: serve(throttle, upstream, reader, writer), "127.0.0.1", port, limit=1 << 25)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))
