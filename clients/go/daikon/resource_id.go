package daikon

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"
)

// namespace is the UUIDv5 namespace for resource IDs that are not UUIDs. It is the same in all clients and servers.
var namespace = [16]byte{0xf8, 0xe1, 0x57, 0x2e, 0x33, 0xcb, 0x43, 0x04, 0xa2, 0xf6, 0x03, 0x2b, 0xcb, 0xfe, 0x90, 0x88}

// ResourceID returns the UUID that identifies a resource in the API: the resource's ID if it is a UUID, otherwise the
// version 5 UUID (RFC 9562) of service/type/id.
func ResourceID(service string, resource Resource) string {
	if isUUID(resource.ID) {
		return strings.ToLower(resource.ID)
	}
	hash := sha1.New()
	hash.Write(namespace[:])
	hash.Write([]byte(service + "/" + resource.Type + "/" + resource.ID))
	sum := hash.Sum(nil)
	sum[6] = sum[6]&0x0f | 0x50
	sum[8] = sum[8]&0x3f | 0x80
	digits := hex.EncodeToString(sum[:16])
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for index := range len(text) {
		switch character := text[index]; index {
		case 8, 13, 18, 23:
			if character != '-' {
				return false
			}
		default:
			if !strings.ContainsRune("0123456789abcdefABCDEF", rune(character)) {
				return false
			}
		}
	}
	return true
}
