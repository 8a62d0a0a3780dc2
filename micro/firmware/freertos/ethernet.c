/* A driver for the LAN9118. Source: SMSC, LAN9118 datasheet, chapters 3 and 5. */
#include "ethernet.h"

#include "FreeRTOS.h"
#include "board.h"
#include "lwip/etharp.h"
#include "lwip/pbuf.h"
#include "netif/ethernet.h"
#include "task.h"

#define REGISTER(offset) (*(volatile uint32_t *)(BOARD_ETHERNET + (offset)))
#define RECEIVE_DATA REGISTER(0x00U)
#define TRANSMIT_DATA REGISTER(0x20U)
#define RECEIVE_STATUS REGISTER(0x40U)
#define IRQ_CONFIG REGISTER(0x54U)
#define INTERRUPT_STATUS REGISTER(0x58U)
#define INTERRUPT_ENABLE REGISTER(0x5CU)
#define FIFO_LEVELS REGISTER(0x68U)
#define TRANSMIT_CONFIG REGISTER(0x70U)
#define RECEIVE_INFORMATION REGISTER(0x7CU)
#define MAC_COMMAND REGISTER(0xA4U)
#define MAC_DATA REGISTER(0xA8U)

#define MAC_WRITE 0x80000000U
#define MAC_READ 0xC0000000U
#define MAC_CONTROL 1U
#define MAC_ADDRESS_HIGH 2U
#define MAC_ADDRESS_LOW 3U
#define MAC_RECEIVES (1U << 2)
#define MAC_TRANSMITS (1U << 3)

#define IRQ_ON ((1U << 8) | (1U << 4) | 1U)
#define RECEIVED (1U << 3)
/* The card transmits, also when nobody reads the status of what it has sent. */
#define TRANSMIT_ON ((1U << 1) | (1U << 2))
#define WHOLE_PACKET ((1U << 13) | (1U << 12))
#define CHECKSUM_SIZE 4U

#define PRIORITY ((volatile uint8_t *)0xE000E400U)
/* Less urgent than the kernel's calls from interrupts allow at most. */
#define IRQ_PRIORITY (6U << (8U - configPRIO_BITS))
#define TASK_PRIORITY 6U
#define TASK_STACK 512U
#define LARGEST 1536U

static TaskHandle_t receiver;

static void write_mac(uint32_t number, uint32_t value) {
    MAC_DATA = value;
    MAC_COMMAND = MAC_WRITE | number;
}

static uint32_t read_mac(uint32_t number) {
    MAC_COMMAND = MAC_READ | number;
    return MAC_DATA;
}

void board_ethernet_handler(void);

void board_ethernet_handler(void) {
    BaseType_t wakes = pdFALSE;
    /* The task allows the interrupt again when it has taken the packets. */
    INTERRUPT_ENABLE = 0U;
    vTaskNotifyGiveFromISR(receiver, &wakes);
    portYIELD_FROM_ISR(wakes);
}

/* Takes a packet from the card. */
static void receive_packet(struct netif *interface) {
    static uint32_t words[LARGEST / 4U];
    const uint32_t size = (RECEIVE_STATUS >> 16) & 0x3FFFU;
    for (uint32_t i = 0U; i < ((size + 3U) / 4U); i++) {
        const uint32_t word = RECEIVE_DATA;
        if (i < (LARGEST / 4U)) {
            words[i] = word;
        }
    }
    if ((size <= CHECKSUM_SIZE) || (size > LARGEST)) {
        return;
    }
    const u16_t length = (u16_t)(size - CHECKSUM_SIZE);
    struct pbuf *packet = pbuf_alloc(PBUF_RAW, length, PBUF_POOL);
    if (packet != NULL) {
        (void)pbuf_take(packet, words, length);
        if (interface->input(packet, interface) != ERR_OK) {
            (void)pbuf_free(packet);
        }
    }
}

static void receive_packets(void *argument) {
    struct netif *interface = argument;
    for (;;) {
        /* Before the packets are taken: a packet that comes in between raises the interrupt again. */
        INTERRUPT_STATUS = RECEIVED;
        while (((RECEIVE_INFORMATION >> 16) & 0xFFU) != 0U) {
            receive_packet(interface);
        }
        INTERRUPT_ENABLE = RECEIVED;
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    }
}

static err_t send_packet(struct netif *interface, struct pbuf *packet) {
    static uint32_t words[LARGEST / 4U];
    const u16_t size = packet->tot_len;
    (void)interface;
    if (size > LARGEST) {
        return ERR_BUF;
    }
    (void)pbuf_copy_partial(packet, words, size, 0U);
    TRANSMIT_DATA = WHOLE_PACKET | size;
    TRANSMIT_DATA = size;
    for (uint32_t i = 0U; i < ((size + 3U) / 4U); i++) {
        TRANSMIT_DATA = words[i];
    }
    return ERR_OK;
}

static void set_address(struct netif *interface) {
    const uint32_t low = read_mac(MAC_ADDRESS_LOW);
    const uint32_t high = read_mac(MAC_ADDRESS_HIGH);
    interface->hwaddr_len = ETH_HWADDR_LEN;
    for (uint32_t i = 0U; i < 4U; i++) {
        interface->hwaddr[i] = (u8_t)(low >> (8U * i));
    }
    interface->hwaddr[4] = (u8_t)high;
    interface->hwaddr[5] = (u8_t)(high >> 8);
}

err_t ethernet_init(struct netif *interface) {
    interface->name[0] = 'e';
    interface->name[1] = 't';
    interface->mtu = 1500U;
    interface->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_LINK_UP;
    interface->output = etharp_output;
    interface->linkoutput = send_packet;
    set_address(interface);
    TRANSMIT_CONFIG = TRANSMIT_ON;
    FIFO_LEVELS = 0U;
    IRQ_CONFIG = IRQ_ON;
    write_mac(MAC_CONTROL, MAC_RECEIVES | MAC_TRANSMITS);
    PRIORITY[BOARD_ETHERNET_IRQ] = IRQ_PRIORITY;
    if (xTaskCreate(receive_packets, "ethernet", TASK_STACK, interface, TASK_PRIORITY, &receiver) != pdPASS) {
        return ERR_MEM;
    }
    board_enable_irq(BOARD_ETHERNET_IRQ);
    return ERR_OK;
}
